// The chat completions that most vendors and local servers speak; here opencode's.

import { tokensPerAnswer } from './conversation.ts';
import { type Foreign, inputText, pieces, type StreamEvent, sendEvents, sendJson, textOf, type Wire } from './wire.ts';

const { input, cached, output } = tokensPerAnswer;
const usage = {
  prompt_tokens: input,
  prompt_tokens_details: { cached_tokens: cached },
  completion_tokens: output,
  total_tokens: input + output,
};

export const chatWire: Wire = {
  serves: (path) => path.endsWith('/chat/completions'),
  read(body) {
    const messages: Foreign[] = body.messages ?? [];
    const calls = messages.flatMap(({ tool_calls }) => tool_calls ?? []);
    const names = new Map(calls.map((call: Foreign) => [call.id, call.function.name]));
    return {
      model: body.model,
      tools: (body.tools ?? []).map((tool: Foreign) => ({ name: tool.function.name })),
      said: messages.filter(({ role }) => role === 'user').map(({ content }) => textOf(content)),
      results: messages
        .filter(({ role }) => role === 'tool')
        .map(({ tool_call_id, content }) => ({ tool: names.get(tool_call_id) ?? '', text: textOf(content) })),
    };
  },
  write(response, { body }, answer, number) {
    const common = { id: `chat_${number}`, created: 1, model: body.model };
    const reason = 'say' in answer ? 'stop' : 'tool_calls';
    const named = 'say' in answer ? null : { id: `call_${number}`, type: 'function', name: answer.call.name };
    if (body.stream !== true) {
      const message = {
        role: 'assistant',
        content: 'say' in answer ? answer.say : null,
        ...('say' in answer || named === null
          ? {}
          : { tool_calls: [{ ...named, function: { name: named.name, arguments: inputText(answer.input) } }] }),
      };
      const choices = [{ index: 0, message, finish_reason: reason }];
      return sendJson(response, 200, { ...common, object: 'chat.completion', choices, usage });
    }
    const chunk = (delta: Foreign, finish_reason: string | null = null) => ({
      ...common,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason }],
    });
    const deltas =
      'say' in answer || named === null
        ? pieces('say' in answer ? answer.say : '').map((content) => ({ role: 'assistant', content }))
        : pieces(inputText(answer.input)).map((text, index) => {
            const first = index === 0 ? { id: named.id, type: named.type } : {};
            const name = index === 0 ? { name: named.name } : {};
            return { role: 'assistant', tool_calls: [{ index: 0, ...first, function: { ...name, arguments: text } }] };
          });
    sendEvents(response, [
      ...deltas.map((delta): StreamEvent => [null, chunk(delta)]),
      [null, chunk({}, reason)],
      [null, { ...common, object: 'chat.completion.chunk', choices: [], usage }],
      [null, '[DONE]'],
    ]);
  },
};
