// OpenAI's Responses API, as Codex speaks it.

import { type OfferedTool, tokensPerAnswer } from './conversation.ts';
import { type Foreign, inputText, pieces, type StreamEvent, sendEvents, textOf, type Wire } from './wire.ts';

const { input, cached, output } = tokensPerAnswer;
const usage = {
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: input + output,
};

export const responsesWire: Wire = {
  serves: (path) => path.endsWith('/responses'),
  read(body) {
    const items: Foreign[] = typeof body.input === 'string' ? [] : body.input;
    const names = new Map(items.filter(({ type }) => /_call$/.test(type)).map(({ call_id, name }) => [call_id, name]));
    return {
      model: body.model,
      tools: (body.tools ?? []).flatMap(toolsOf),
      said: items.filter(({ role }) => role === 'user').map(({ content }) => textOf(content)),
      results: items
        .filter(({ type }) => /_call_output$/.test(type))
        .map((item) => ({ tool: names.get(item.call_id) ?? '', text: textOf(item.output) })),
    };
  },
  write(response, { body }, answer, number) {
    const whole = { id: `resp_${number}`, object: 'response', created_at: 0, model: body.model };
    const item = itemOf(answer, number);
    const events: Foreign[] = [
      { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress' } },
      ...deltasOf(answer, item.id),
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { ...whole, status: 'completed', output: [item], usage } },
    ];
    sendEvents(
      response,
      events.map((event): StreamEvent => [event.type, event]),
    );
  },
};

/** Tools of a Model Context Protocol server come as a namespace with its tools in it. */
function toolsOf({ type, name, tools }: Foreign): OfferedTool[] {
  if (type === 'namespace') return tools.flatMap(toolsOf).map((tool: OfferedTool) => ({ ...tool, namespace: name }));
  if (type === 'custom') return [{ name, isFreeform: true }];
  return type === 'function' ? [{ name }] : [];
}

function itemOf(answer: Parameters<Wire['write']>[2], number: number): Foreign {
  if ('say' in answer) {
    const content = [{ type: 'output_text', text: answer.say, annotations: [] }];
    return { type: 'message', id: `msg_${number}`, role: 'assistant', status: 'completed', content };
  }
  const { name, namespace, isFreeform } = answer.call;
  const common = {
    call_id: `call_${number}`,
    name,
    status: 'completed',
    ...(namespace === undefined ? {} : { namespace }),
  };
  return isFreeform === true
    ? { type: 'custom_tool_call', id: `ctc_${number}`, ...common, input: inputText(answer.input) }
    : { type: 'function_call', id: `fc_${number}`, ...common, arguments: inputText(answer.input) };
}

function deltasOf(answer: Parameters<Wire['write']>[2], item_id: string): Foreign[] {
  const place = { item_id, output_index: 0 };
  if ('say' in answer) {
    return pieces(answer.say).map((delta) => ({
      type: 'response.output_text.delta',
      ...place,
      content_index: 0,
      delta,
    }));
  }
  const type = answer.call.isFreeform === true ? 'custom_tool_call_input' : 'function_call_arguments';
  return pieces(inputText(answer.input)).map((delta) => ({ type: `response.${type}.delta`, ...place, delta }));
}
