// A JSON Schema as a person would write the shape down: like a TypeScript type, with limits and meanings as comments.

/** The parts of JSON Schema that our schemas use. */
export type JsonSchema = {
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
  items?: JsonSchema | boolean;
  prefixItems?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
};

/** The shape of `schema`, indented by `indent` spaces after its first line. */
export function schemaText(schema: JsonSchema, indent = 0): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map((choice) => schemaText(choice, indent)))].join(' | ');
  if (schema.allOf !== undefined) return schema.allOf.map((part) => schemaText(part, indent)).join(' & ');
  if (Array.isArray(schema.type)) return schema.type.join(' | ');
  if (schema.type === 'object') return objectText(schema, indent);
  if (schema.type === 'array') return arrayText(schema, indent);
  return schema.type ?? 'any';
}

function arrayText(schema: JsonSchema, indent: number): string {
  if (schema.prefixItems !== undefined) {
    return `[${schema.prefixItems.map((item) => schemaText(item, indent)).join(', ')}]`;
  }
  const item = typeof schema.items === 'object' ? schemaText(schema.items, indent) : 'any';
  return / [|&] /.test(item) ? `(${item})[]` : `${item}[]`;
}

function objectText(schema: JsonSchema, indent: number): string {
  const required = new Set(schema.required ?? []);
  const pad = ' '.repeat(indent + 2);
  const lines = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const comment = meaning(property);
    const optional = required.has(name) ? '' : '?';
    return `${pad}"${name}"${optional}: ${schemaText(property, indent + 2)}${comment === '' ? '' : `  // ${comment}`}`;
  });
  if (typeof schema.additionalProperties === 'object') {
    lines.push(`${pad}[name]: ${schemaText(schema.additionalProperties, indent + 2)}`);
  }
  return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${' '.repeat(indent)}}`;
}

// Bounds of whole numbers as JSON can carry them say nothing about the field.
const boundless = Number.MAX_SAFE_INTEGER;

/** The description of a field with its default and limits, in one line; empty when there is nothing to say. */
export function meaning(schema: JsonSchema): string {
  const parts = [
    schema.description?.replace(/\s+/g, ' ').replace(/\.$/, ''),
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`,
    range(schema.minimum, schema.maximum, ''),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' entries'),
  ];
  return parts.filter((part) => part !== undefined && part !== '').join('; ');
}

function range(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  const low = least === undefined || least <= -boundless ? undefined : least;
  const high = most === undefined || most >= boundless ? undefined : most;
  if (low !== undefined && high !== undefined) return `${low} to ${high}${unit}`;
  if (high !== undefined) return `at most ${high}${unit}`;
  return low === undefined ? undefined : `at least ${low}${unit}`;
}
