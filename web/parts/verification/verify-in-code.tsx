/** How a receiver checks a signature, in the reader's language. */
import type { CodeKind } from "../../highlight-plugin.ts";
import { useSession } from "../../session.ts";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { EXAMPLES, type Example, withHeaderName } from "./examples.ts";

const COLORS: Readonly<Record<CodeKind, string | undefined>> = {
  comment: "text-ink-faint",
  string: "text-ok",
  keyword: "text-accent",
  number: "text-warn",
  name: "text-info",
  plain: undefined,
};

export function VerifyInCode() {
  const { signatureHeader } = useSession();
  return (
    <Card
      title="Verify in your code"
      description="Whole receivers, the very files that our tests run. They read the secret from WEBHOOK_SECRETS; while
        the secret is being rotated that takes both, with a comma between them."
    >
      <Tabs
        label="Languages"
        tabs={EXAMPLES.map((example) => ({
          id: example.id,
          label: example.label,
          content: <Code example={example} header={signatureHeader} />,
        }))}
      />
    </Card>
  );
}

function Code({ example, header }: { readonly example: Example; readonly header: string }) {
  const pieces = withHeaderName(example.pieces, header);
  return (
    <CodeBlock label={example.id} code={pieces.map(([, text]) => text).join("")}>
      {pieces.map(([kind, text], index) => (
        // The pieces of a file never move.
        <span key={index} className={COLORS[kind]}>
          {text}
        </span>
      ))}
    </CodeBlock>
  );
}
