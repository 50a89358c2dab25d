// Google's generateContent, as Gemini CLI speaks it.

import { tokensPerAnswer } from './conversation.ts';
import { type Foreign, sendEvents, sendJson, type Wire } from './wire.ts';

const { input, cached, output } = tokensPerAnswer;
const usageMetadata = {
  promptTokenCount: input,
  cachedContentTokenCount: cached,
  candidatesTokenCount: output,
  totalTokenCount: input + output,
};

export const generateWire: Wire = {
  serves: (path) => /:(streamG|g)enerateContent$/.test(path),
  read(body, path) {
    const parts: Foreign[] = (body.contents ?? []).flatMap((content: Foreign) =>
      (content.parts ?? []).map((part: Foreign) => ({ ...part, role: content.role })),
    );
    return {
      model: /models\/([^:/]+):/.exec(path)?.[1] ?? '',
      tools: (body.tools ?? [])
        .flatMap((tool: Foreign) => tool.functionDeclarations ?? [])
        .map(({ name }: Foreign) => ({ name })),
      said: parts.filter(({ text, role }) => typeof text === 'string' && role === 'user').map(({ text }) => text),
      results: parts
        .filter((part) => part.functionResponse !== undefined)
        .map(({ functionResponse: { name, response } }) => ({ tool: name, text: resultText(response) })),
    };
  },
  write(response, { path }, answer, number) {
    const part =
      'say' in answer
        ? { text: answer.say }
        : { functionCall: { id: `call_${number}`, name: answer.call.name, args: answer.input } };
    const content = { role: 'model', parts: [part] };
    const whole = {
      candidates: [{ content, finishReason: 'STOP', index: 0 }],
      usageMetadata,
      modelVersion: 'scripted',
    };
    if (/:stream/.test(path)) sendEvents(response, [[null, whole]]);
    else sendJson(response, 200, whole);
  },
};

function resultText(response: Foreign): string {
  const { output: text, error } = response ?? {};
  if (typeof text === 'string') return text;
  return typeof error === 'string' ? error : JSON.stringify(response);
}
