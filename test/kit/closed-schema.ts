/** A schema with nothing beside what it names: so that no answer has what the document has not. */
export function closed(schema: unknown): object {
  const close = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(close);
    if (typeof part !== "object" || part === null) return part;
    const members = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, close(value)]));
    return "properties" in part ? { ...members, additionalProperties: false } : members;
  };
  return close(schema) as object;
}
