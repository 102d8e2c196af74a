/** How a receiver checks a signature, in the reader's language. */
import { useState } from "react";
import type { CodeKind, CodePieces } from "../../highlight-plugin.ts";
import { useSession } from "../../query.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Tabs } from "../../ui/tabs.tsx";

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
  const [isShown, setShown] = useState(false);
  return (
    <Card
      title="Verify in your code"
      description="Whole receivers to copy, in nine languages."
      actions={
        <Button size="sm" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? "Hide code" : "Show code"}
        </Button>
      }
      isFlush
    >
      {isShown && (
        <div className="px-5 pb-4">
          <Tabs
            label="Languages"
            tabs={EXAMPLES.map((example) => ({
              id: example.id,
              label: example.label,
              content: <Code example={example} header={signatureHeader} />,
            }))}
          />
        </div>
      )}
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

/* The reference receivers of `examples/verify`, the very files that the tests run, coloured when the page is built. */

interface Example {
  readonly id: string;
  readonly label: string;
  /** Joined, the texts are the file. */
  readonly pieces: CodePieces;
}

const FILES = import.meta.glob<CodePieces>(
  [
    "../../../examples/verify/{node,python,ruby,php,go,java,csharp,bash}/*.{js,py,rb,php,go,java,cs,cgi}",
    "../../../examples/verify/rust/src/main.rs",
  ],
  { query: "?pieces", import: "default", eager: true },
);

/** In the order of the tabs. A file that is not here yet has no tab. */
const LABELS: readonly (readonly [file: string, label: string])[] = [
  ["node/express.js", "Node, Express"],
  ["node/fastify.js", "Node, Fastify"],
  ["node/public-key.js", "Node, public key"],
  ["python/receiver.py", "Python"],
  ["python/flask_receiver.py", "Python, Flask"],
  ["python/public_key.py", "Python, public key"],
  ["ruby/receiver.rb", "Ruby"],
  ["php/receiver.php", "PHP"],
  ["go/main.go", "Go"],
  ["java/Receiver.java", "Java"],
  ["csharp/Program.cs", "C#"],
  ["rust/src/main.rs", "Rust"],
  ["bash/receiver.cgi", "bash"],
];

const EXAMPLES: readonly Example[] = LABELS.flatMap(([file, label]) => {
  const pieces = FILES[`../../../examples/verify/${file}`];
  return pieces === undefined ? [] : [{ id: file, label, pieces }];
});

/** The header's name as the operator has set it, also where a language spells it as a variable. */
function withHeaderName(pieces: CodePieces, header: string): CodePieces {
  const asVariable = (name: string): string => name.toUpperCase().replaceAll("-", "_");
  return pieces.map(([kind, text]) => [
    kind,
    text.replaceAll(ORIGINAL, header).replaceAll(asVariable(ORIGINAL), asVariable(header)),
  ]);
}

const ORIGINAL = "x-service-signature";

/* Where webhooks come from, for those who keep a receiver's firewall. Nothing, where the operator does not say. */

export function SourceAddresses({ addresses }: { readonly addresses: readonly string[] }) {
  if (addresses.length === 0) return null;
  return (
    <Card
      title="Source addresses"
      description="Webhooks and tests come from these addresses only. If your server stands behind a firewall, let them
        in, from any port, to the port of your Webhook URL. Check the signature too: an address alone proves little."
      actions={<CopyButton label="Copy all" tone="plain" text={addresses.join("\n")} />}
    >
      <ul aria-label="Source addresses" className="grid gap-1 sm:grid-cols-2">
        {addresses.map((address) => (
          <li key={address} className="flex min-w-0 items-center gap-1">
            <code className="min-w-0 [overflow-wrap:anywhere]">{address}</code>
            <CopyButton text={address} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
