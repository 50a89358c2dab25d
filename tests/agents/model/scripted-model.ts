// A model on loopback that answers by a script, over the wire of whichever vendor asks. It is the only double in these
// tests: the agents, the daemon, git and every socket are real.
//
//   SM1. A question that offers no tools (a title, a summary) is answered without the script: agents ask such aside.
//   SM2. A script that fails fails the test, whatever the agent makes of the refused call.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { chatWire } from './chat-wire.ts';
import type { Conversation, Script } from './conversation.ts';
import { generateWire } from './generate-wire.ts';
import { messagesWire } from './messages-wire.ts';
import { responsesWire } from './responses-wire.ts';
import { type Foreign, sendJson, type Wire } from './wire.ts';

const wires: readonly Wire[] = [messagesWire, responsesWire, chatWire, generateWire];

/** The model, while its server runs. */
export interface ScriptedModel {
  readonly url: string;
  /** Answers from now on. Without one, every question with tools is refused. */
  follow(script: Script): void;
  /** Questions that the script answered since the last `follow`. */
  readonly asked: readonly Conversation[];
  /** Every request since the server started, as `POST /v1/messages`. */
  readonly requests: readonly string[];
  /** Throws what the script threw, if it did (SM2). */
  check(): void;
  close(): Promise<void>;
}

/** Starts the server on any free port of the loopback interface. */
export async function startScriptedModel(): Promise<ScriptedModel> {
  const server = new ModelServer();
  const http = createServer((request, response) => {
    server.handle(request, response).catch((error: unknown) => {
      server.failures.push(error);
      // Agents try a server's fault again and again, and give up at once when they are told that the request is wrong.
      if (!response.headersSent)
        sendJson(response, 400, { error: { type: 'invalid_request_error', message: String(error) } });
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    follow: (script) => server.follow(script),
    get asked() {
      return server.asked;
    },
    requests: server.requests,
    check() {
      if (server.failures.length > 0) throw server.failures[0];
    },
    async close() {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
}

class ModelServer {
  readonly requests: string[] = [];
  readonly failures: unknown[] = [];
  asked: Conversation[] = [];
  #script: Script | null = null;
  #answers = 0;

  follow(script: Script): void {
    this.#script = script;
    this.asked = [];
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0] ?? '';
    this.requests.push(`${request.method} ${path}`);
    const wire = wires.find((each) => each.serves(path));
    if (request.method !== 'POST' || wire === undefined) {
      if (/count_?tokens$/i.test(path)) return sendJson(response, 200, { input_tokens: 100, totalTokens: 100 });
      return sendJson(response, 404, { error: { type: 'not_found_error', message: `nothing at ${path}` } });
    }
    const body = (await json(request)) as Foreign;
    const conversation = wire.read(body, path);
    const number = ++this.#answers;
    // (SM1)
    if (conversation.tools.length === 0) return wire.write(response, { body, path }, { say: 'A title' }, number);
    if (this.#script === null) throw new Error(`no script, and ${path} was asked`);
    this.asked.push(conversation);
    wire.write(response, { body, path }, await this.#script(conversation), number);
  }
}
