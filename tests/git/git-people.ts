// A colony and people who work on it with stock git alone.

import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestDaemon } from '../support/daemon.ts';
import { GitClone } from '../support/git-client.ts';
import type { FileContent } from '../support/git-repository.ts';
import { Scene, type SceneAgent } from '../support/scene.ts';

/** Somebody with a token and a clone. */
export interface Person {
  readonly agent: SceneAgent;
  readonly clone: GitClone;
}

/** One colony with its people. */
export class GitPeople {
  readonly daemon: TestDaemon;
  readonly scene: Scene;
  #people = 0;
  #first: GitClone | null = null;

  private constructor(daemon: TestDaemon, scene: Scene) {
    this.daemon = daemon;
    this.scene = scene;
  }

  static async open(
    daemon: TestDaemon,
    id: string,
    files: Readonly<Record<string, FileContent>>,
    policy: object = {},
  ): Promise<GitPeople> {
    return new GitPeople(daemon, await Scene.open(daemon, id, files, policy));
  }

  /** Address of the colony for git, with a token as the password; null sends none. */
  address(token: string | null, colony = this.scene.id): string {
    return `${this.daemon.url.replace('http://', `http://${token === null ? '' : `someone:${token}@`}`)}/git/${colony}`;
  }

  /** A folder that is not there yet. */
  place(): string {
    this.#people += 1;
    return join(this.daemon.directory, `${this.scene.id}-clone-${this.#people}`);
  }

  /** A clone over HTTP. */
  clone(agent: SceneAgent, name: string, ...options: readonly string[]): Promise<GitClone> {
    return GitClone.of(this.address(agent.token), this.place(), name, options);
  }

  /** Somebody with a clone of trunk as it was at the first clone: a copy on disk saves asking git for each. */
  async person(name: string): Promise<Person> {
    const agent = await this.scene.agent(name);
    this.#first ??= await GitClone.of(this.address(this.daemon.adminToken), this.place(), 'Nobody');
    const directory = this.place();
    cpSync(this.#first.directory, directory, { recursive: true });
    const clone = new GitClone(directory, name);
    await clone.git('remote', 'set-url', 'origin', this.address(agent.token));
    return { agent, clone };
  }

  /** The refs and the packs of trunk's repository, and what lies in quarantine. */
  leftovers(): { readonly packs: readonly string[]; readonly pushes: readonly string[] } {
    const pushes = join(this.daemon.data, 'pushes');
    return {
      packs: readdirSync(join(this.scene.repository, 'objects', 'pack')).sort(),
      pushes: existsSync(pushes) ? readdirSync(pushes) : [],
    };
  }

  /** Intents and proposals so far: what a push that leaves nothing does not change. */
  async counts() {
    const { intents, proposals, landings } = await this.scene.expect(200, 'GET', '');
    return { intents, proposals, landings };
  }
}
