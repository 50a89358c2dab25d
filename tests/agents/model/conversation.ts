// What a model is asked and answers, whatever its vendor's wire looks like: the common ground of every scripted answer.

/** What a tool answered earlier in the conversation. */
export interface ToolResult {
  /** Its name as the agent offered it. */
  readonly tool: string;
  readonly text: string;
}

/** A tool that the agent offers. A namespace is a part of its name that one vendor sends apart. */
export interface OfferedTool {
  readonly name: string;
  readonly namespace?: string;
  /** Whether its input is a text of its own grammar, not JSON. */
  readonly isFreeform?: true;
}

/** One question to the model. */
export interface Conversation {
  /** Which model was asked for. */
  readonly model: string;
  readonly tools: readonly OfferedTool[];
  /** What people and the harness said since the beginning, the newest last. */
  readonly said: readonly string[];
  /** What tools answered since the beginning, the newest last. */
  readonly results: readonly ToolResult[];
}

/** One answer: a text, which ends the turn, or the use of one tool. */
export type Answer =
  | { readonly say: string }
  | { readonly call: OfferedTool; readonly input: Readonly<Record<string, unknown>> | string };

/** What a model is asked to do next; it looks at the conversation so far and at nothing else. */
export type Script = (conversation: Conversation) => Answer | Promise<Answer>;

/** Tokens that every answer claims, so that a test can count them. */
export const tokensPerAnswer = { input: 100, cached: 40, output: 10 } as const;

/**
 * The first tool that is offered under one of these names, or under one of them after the name of our server; throws when
 * there is none.
 */
export function offered({ tools }: Conversation, ...names: readonly string[]): OfferedTool {
  for (const name of names) {
    const ours = new RegExp(`firetrident_+${name}$`);
    const found = tools.find((tool) => ours.test(tool.name)) ?? tools.find((tool) => tool.name === name);
    if (found !== undefined) return found;
  }
  throw new Error(`none of ${names.join(', ')} is offered, but ${tools.map(({ name }) => name).join(', ')}`);
}
