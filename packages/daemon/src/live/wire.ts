// WebSocket messages as bytes: a broadcast is framed once and the same bytes are written to every socket.

/** Bytes of one unmasked text message of a server, as RFC 6455 section 5.2 lays it out. */
export function textMessage(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const header = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const message = Buffer.allocUnsafe(header + length);
  message[0] = 0x81;
  if (header === 2) message[1] = length;
  else if (header === 4) {
    message[1] = 126;
    message.writeUInt16BE(length, 2);
  } else {
    message[1] = 127;
    message.writeBigUInt64BE(BigInt(length), 2);
  }
  message.write(text, header);
  return message;
}
