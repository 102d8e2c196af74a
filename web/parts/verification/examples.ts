/** The reference receivers of `examples/verify`, the very files that the tests run, coloured when the page is built. */
import type { CodePieces } from "../../highlight-plugin.ts";

export interface Example {
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
  ["python/receiver.py", "Python"],
  ["python/flask_receiver.py", "Python, Flask"],
  ["ruby/receiver.rb", "Ruby"],
  ["php/receiver.php", "PHP"],
  ["go/main.go", "Go"],
  ["java/Receiver.java", "Java"],
  ["csharp/Program.cs", "C#"],
  ["rust/src/main.rs", "Rust"],
  ["bash/receiver.cgi", "bash"],
];

export const EXAMPLES: readonly Example[] = LABELS.flatMap(([file, label]) => {
  const pieces = FILES[`../../../examples/verify/${file}`];
  return pieces === undefined ? [] : [{ id: file, label, pieces }];
});

/** The header's name as the operator has set it, also where a language spells it as a variable. */
export function withHeaderName(pieces: CodePieces, header: string): CodePieces {
  const asVariable = (name: string): string => name.toUpperCase().replaceAll("-", "_");
  return pieces.map(([kind, text]) => [
    kind,
    text.replaceAll(ORIGINAL, header).replaceAll(asVariable(ORIGINAL), asVariable(header)),
  ]);
}

const ORIGINAL = "x-service-signature";
