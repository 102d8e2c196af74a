/** Declared types as TypeScript, for back ends and receivers: of each its record and its body. Pure. */
import { printSchema, takeName, toTypeName } from "../schema/typescript.ts";
import { CALLER_KEY, CALLER_KEY_MEMBER, type Declaration } from "./declaration.ts";

const HEADER =
  "/** Event types as they are declared. Written by `bellwire events types`: change their files instead. */";
const UNION =
  "/** Every body of a webhook; `event` says which it is. */\n" +
  "export type WebhookEvent = EventBodies[keyof EventBodies];\n";
export function printTypes(declarations: readonly Declaration[]): string {
  const used = new Set(["EventRecords", "EventBodies", "WebhookEvent"]);
  const named = declarations.map((declaration) => ({
    declaration,
    name: takeName(used, toTypeName(declaration.type)),
  }));
  const texts = named.map(({ declaration, name }) => printType(declaration, name, used));
  const map = (title: string, about: string, typeOf: (name: string, declaration: Declaration) => string): string => {
    const members = named.map(
      ({ declaration, name }) => `  ${JSON.stringify(declaration.type)}: ${typeOf(name, declaration)};`,
    );
    return `/** ${about} */\nexport interface ${title} {\n${members.join("\n")}\n}\n`;
  };
  return [
    HEADER,
    ...texts,
    map("EventRecords", "Records by the type that they are sent as.", toRecordType),
    map("EventBodies", "Bodies of webhooks by their `event`.", (name) => `${name}Body`),
    UNION,
  ].join("\n");
}

const toRecordType = (name: string, { key }: Declaration): string =>
  `${name}Record${key === CALLER_KEY ? ` & { readonly ${CALLER_KEY_MEMBER}: string }` : ""}`;

/** Both names are taken before those of the record's parts. */
function printType({ type, title, description, schema }: Declaration, name: string, used: Set<string>): string {
  const [record, body] = [`${name}Record`, `${name}Body`];
  for (const each of [record, body]) used.add(each);
  const text = printSchema({ ...schema, title, description }, record, { isInput: true, used });
  return `${text}\nexport type ${body} = ${record} & { readonly event: ${JSON.stringify(type)} };\n`;
}
