// Reads SQLite's write-ahead log before SQLite does, to say what SQLite only does in silence: it drops everything after
// the first frame whose checksum fails. (Form of the file: https://www.sqlite.org/fileformat2.html, section 4.)
//
//   WT1. With synchronous=FULL every commit is synced before the next one begins, so past the last good commit there
//        can be frames of one transaction only, and that one was never acknowledged. It is cut and reported.
//   WT2. Where a commit follows after a bad frame and further frames follow after that commit, an acknowledged
//        transaction was damaged: nothing is cut, the journal is refused.
//   WT3. Frames of an earlier generation at the end (SQLite reuses the file after a checkpoint) were carried over to the database
//        long ago. They are no loss and are not reported.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** What a write-ahead log holds. */
export type WalFinding =
  /** Everything in it is committed, or it is missing or empty. */
  | { readonly kind: 'whole' }
  /** After the last commit come `bytes` bytes that were never acknowledged (WT1). */
  | { readonly kind: 'torn'; readonly bytes: number }
  /** An acknowledged commit cannot be read (WT2). */
  | { readonly kind: 'damaged'; readonly reason: string };

const headerSize = 32;
const frameHeaderSize = 24;
const whole: WalFinding = { kind: 'whole' };
/** How many checkpoints back a frame may come from before its salt is taken for garbage instead. */
const generationsBack = 1 << 20;

interface Header {
  readonly littleEndian: boolean;
  readonly pageSize: number;
  readonly salt1: number;
  readonly salt2: number;
  readonly checksum: Checksum;
}

type Checksum = readonly [number, number];

/** Examines the write-ahead log at `path`, one frame at a time. A missing file is whole. */
export function examineWal(path: string): WalFinding {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return whole;
    throw error;
  }
  try {
    return examineFile(file, fstatSync(file).size);
  } finally {
    closeSync(file);
  }
}

function examineFile(file: number, size: number): WalFinding {
  if (size === 0) return whole;
  if (size < headerSize) return { kind: 'torn', bytes: size };
  const header = readHeader(file);
  if (header === null) return { kind: 'damaged', reason: 'the header of its write-ahead log cannot be read' };
  const committedEnd = endOfCommits(file, size, header);
  return examineTail(file, size, header, committedEnd);
}

function readHeader(file: number): Header | null {
  const bytes = Buffer.alloc(headerSize);
  readSync(file, bytes, 0, headerSize, 0);
  const magic = bytes.readUInt32BE(0);
  if (magic !== 0x377f0682 && magic !== 0x377f0683) return null;
  const littleEndian = magic === 0x377f0682;
  const checksum = extendChecksum([0, 0], bytes.subarray(0, 24), littleEndian);
  if (checksum[0] !== bytes.readUInt32BE(24) || checksum[1] !== bytes.readUInt32BE(28)) return null;
  const [pageSize, salt1, salt2] = [bytes.readUInt32BE(8), bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  return { littleEndian, pageSize, salt1, salt2, checksum };
}

/** Offset after the last frame that ends a commit and whose whole chain of checksums holds. */
function endOfCommits(file: number, size: number, header: Header): number {
  const frame = Buffer.alloc(frameHeaderSize + header.pageSize);
  let checksum = header.checksum;
  let committedEnd = headerSize;
  for (let offset = headerSize; offset + frame.length <= size; offset += frame.length) {
    readSync(file, frame, 0, frame.length, offset);
    if (frame.readUInt32BE(8) !== header.salt1 || frame.readUInt32BE(12) !== header.salt2) break;
    checksum = extendChecksum(checksum, frame.subarray(0, 8), header.littleEndian);
    checksum = extendChecksum(checksum, frame.subarray(frameHeaderSize), header.littleEndian);
    if (checksum[0] !== frame.readUInt32BE(16) || checksum[1] !== frame.readUInt32BE(20)) break;
    if (frame.readUInt32BE(4) !== 0) committedEnd = offset + frame.length;
  }
  return committedEnd;
}

/** Judges what comes after the commits (WT1 to WT3). */
function examineTail(file: number, size: number, header: Header, committedEnd: number): WalFinding {
  const frameHeader = Buffer.alloc(frameHeaderSize);
  const frameSize = frameHeaderSize + header.pageSize;
  let lostEnd = committedEnd;
  let followsCommit = false;
  let offset = committedEnd;
  for (; offset + frameHeaderSize <= size; offset += frameSize) {
    readSync(file, frameHeader, 0, frameHeaderSize, offset);
    const age = (header.salt1 - frameHeader.readUInt32BE(8)) >>> 0;
    // No two generations have either salt in common: with one of them changed it is still a frame of this one.
    const isOurs = age === 0 || frameHeader.readUInt32BE(12) === header.salt2;
    // Only where nothing of ours comes after them are such frames what an earlier generation left.
    if (!isOurs && age > 0 && age <= generationsBack) continue;
    lostEnd = Math.min(size, offset + frameSize);
    if (!isOurs) continue;
    if (followsCommit) {
      return { kind: 'damaged', reason: 'its write-ahead log is damaged before commits that were acknowledged' };
    }
    followsCommit = frameHeader.readUInt32BE(4) !== 0;
  }
  // Less than the header of a frame is left: it belongs to what stands before it.
  if (lostEnd === offset) lostEnd = size;
  return lostEnd > committedEnd ? { kind: 'torn', bytes: lostEnd - committedEnd } : whole;
}

/** SQLite's checksum of `bytes` (a multiple of 8) continued from `before`. */
function extendChecksum(before: Checksum, bytes: Buffer, littleEndian: boolean): Checksum {
  let [first, second] = before;
  for (let offset = 0; offset < bytes.length; offset += 8) {
    const left = littleEndian ? bytes.readUInt32LE(offset) : bytes.readUInt32BE(offset);
    const right = littleEndian ? bytes.readUInt32LE(offset + 4) : bytes.readUInt32BE(offset + 4);
    first = (first + left + second) >>> 0;
    second = (second + right + first) >>> 0;
  }
  return [first, second];
}
