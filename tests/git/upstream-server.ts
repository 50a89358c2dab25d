// A real git server for upstreams: stock git's own `http-backend`, behind an ordinary HTTP server.

import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { git } from '../support/git-repository.ts';

/** Serves the repositories of one directory; every push there is allowed with this password. */
export class UpstreamServer {
  readonly #server: Server;
  readonly #root: string;
  /** While false, every call is answered as if the server were being repaired. */
  isUp = true;
  /** While true, a push is taken, its answer is lost, and the server goes down. */
  losesAnswers = false;
  /** Hears of every call before it is answered. */
  onCall: () => void = () => undefined;

  private constructor(root: string) {
    this.#root = root;
    this.#server = createServer((incoming, outgoing) => this.#answer(incoming, outgoing));
  }

  static async start(root: string): Promise<UpstreamServer> {
    const started = new UpstreamServer(root);
    await new Promise<void>((resolve) => started.#server.listen(0, '127.0.0.1', resolve));
    return started;
  }

  /** Makes an empty repository that takes pushes; answers its directory. */
  make(name: string): string {
    const directory = `${this.#root}/${name}`;
    git(this.#root, ['init', '-q', '--bare', '-b', 'main', directory]);
    git(directory, ['config', 'http.receivepack', 'true']);
    return directory;
  }

  url(name: string): string {
    return `http://keeper:secret@127.0.0.1:${(this.#server.address() as AddressInfo).port}/${name}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const expected = `Basic ${Buffer.from('keeper:secret').toString('base64')}`;
    this.onCall();
    if (!this.isUp) return void outgoing.writeHead(503).end('being repaired\n');
    if (incoming.headers.authorization !== expected) {
      return void outgoing.writeHead(401, { 'www-authenticate': 'Basic realm="upstream"' }).end();
    }
    const [path = '/', query = ''] = (incoming.url ?? '/').split('?');
    const backend = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: this.#root,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        PATH_INFO: path,
        QUERY_STRING: query,
        REQUEST_METHOD: incoming.method,
        CONTENT_TYPE: incoming.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: incoming.headers['content-encoding'] ?? '',
        REMOTE_USER: 'keeper',
        ...(incoming.headers['content-length'] === undefined
          ? {}
          : { CONTENT_LENGTH: incoming.headers['content-length'] }),
        ...(incoming.headers['git-protocol'] === undefined
          ? {}
          : { GIT_PROTOCOL: String(incoming.headers['git-protocol']) }),
      },
    });
    incoming.pipe(backend.stdin).on('error', () => undefined);
    let head = Buffer.alloc(0);
    backend.stdout.on('data', (chunk: Buffer) => {
      if (outgoing.headersSent) return void outgoing.write(chunk);
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      const lines = head.toString('latin1', 0, end).split('\r\n');
      const fields = lines.map((line) => line.split(': ') as [string, string]);
      const status = fields.find(([name]) => name === 'Status')?.[1] ?? '200';
      outgoing.writeHead(Number.parseInt(status, 10), Object.fromEntries(fields.filter(([name]) => name !== 'Status')));
      outgoing.write(head.subarray(end + 4));
    });
    backend.on('close', () => outgoing.end());
    if (this.losesAnswers && incoming.method === 'POST' && path.endsWith('/git-receive-pack')) {
      this.losesAnswers = false;
      this.isUp = false;
      backend.stdout.removeAllListeners('data').resume();
      backend.removeAllListeners('close').on('close', () => outgoing.destroy());
    }
  }
}
