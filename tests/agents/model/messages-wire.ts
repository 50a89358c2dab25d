// Anthropic's Messages API, as Claude Code speaks it.

import { tokensPerAnswer } from './conversation.ts';
import { type Foreign, inputText, pieces, type StreamEvent, sendEvents, sendJson, textOf, type Wire } from './wire.ts';

const { input, cached, output } = tokensPerAnswer;
/** Here what came from the cache is counted beside the input. */
const usage = { input_tokens: input - cached, cache_read_input_tokens: cached, cache_creation_input_tokens: 0 };

export const messagesWire: Wire = {
  serves: (path) => path.endsWith('/v1/messages'),
  read(body) {
    const parts: Foreign[] = (body.messages ?? []).flatMap(({ role, content }: Foreign) =>
      (typeof content === 'string' ? [{ type: 'text', text: content }] : content).map((part: Foreign) => ({
        ...part,
        role,
      })),
    );
    const names = new Map(parts.filter(({ type }) => type === 'tool_use').map(({ id, name }) => [id, name]));
    return {
      model: body.model,
      tools: (body.tools ?? []).map(({ name }: Foreign) => ({ name })),
      said: parts.filter(({ type, role }) => type === 'text' && role === 'user').map(({ text }) => text),
      results: parts
        .filter(({ type }) => type === 'tool_result')
        .map(({ tool_use_id, content }) => ({ tool: names.get(tool_use_id) ?? '', text: textOf(content) })),
    };
  },
  write(response, { body }, answer, number) {
    const block =
      'say' in answer
        ? { type: 'text', text: answer.say }
        : { type: 'tool_use', id: `toolu_${number}`, name: answer.call.name, input: answer.input };
    const reason = 'say' in answer ? 'end_turn' : 'tool_use';
    const message = { id: `msg_${number}`, type: 'message', role: 'assistant', model: body.model, stop_sequence: null };
    if (body.stream !== true) {
      const whole = { content: [block], stop_reason: reason, usage: { ...usage, output_tokens: output } };
      return sendJson(response, 200, { ...message, ...whole });
    }
    const empty = 'say' in answer ? { type: 'text', text: '' } : { ...block, input: {} };
    const deltas =
      'say' in answer
        ? pieces(answer.say).map((text) => ({ type: 'text_delta', text }))
        : pieces(inputText(answer.input)).map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    const begun = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
    const events: Foreign[] = [
      { type: 'message_start', message: begun },
      { type: 'content_block_start', index: 0, content_block: empty },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: reason, stop_sequence: null },
        usage: { output_tokens: output },
      },
      { type: 'message_stop' },
    ];
    sendEvents(
      response,
      events.map((event): StreamEvent => [event.type, event]),
    );
  },
};
