/** The reference receivers: how each is started, and how to see whether this machine can. */
export interface Language {
  readonly name: string;
  /** Below this folder; what the dashboard's verification page shows. */
  readonly file: string;
  /** Prints something and exits with 0 where the receiver can be run. */
  readonly probe: readonly string[];
  /**
   * Started in the file's folder with `PORT` and `WEBHOOK_SECRETS` (or `WEBHOOK_PUBLIC_KEYS`) set; prints
   * `listening on <port>`.
   */
  readonly start: readonly string[];
  /** Built before, where that takes long: not in `npm test` but in `npm run examples`. */
  readonly isSlow: boolean;
  /** What its server itself answers to a `POST` that does not say how long it is. */
  readonly ifLengthless?: 411;
  /** Has no server of its own: the test's server calls it for each request, as CGI. */
  readonly isCgi?: boolean;
}

export const LANGUAGES: readonly Language[] = [
  {
    name: "Node, Express",
    file: "node/express.js",
    probe: [process.execPath, "--version"],
    start: [process.execPath, "express.js"],
    isSlow: false,
  },
  {
    name: "Node, Fastify",
    file: "node/fastify.js",
    probe: [process.execPath, "--version"],
    start: [process.execPath, "fastify.js"],
    isSlow: false,
  },
  {
    name: "Python, Flask",
    file: "python/flask_receiver.py",
    probe: ["python3", "-c", "import flask"],
    start: ["python3", "flask_receiver.py"],
    isSlow: false,
  },
  {
    name: "Python",
    file: "python/receiver.py",
    probe: ["python3", "--version"],
    start: ["python3", "receiver.py"],
    isSlow: false,
  },
  {
    name: "Ruby",
    file: "ruby/receiver.rb",
    probe: ["ruby", "-e", "require 'webrick'"],
    start: ["ruby", "receiver.rb"],
    isSlow: false,
    ifLengthless: 411,
  },
  {
    name: "PHP",
    file: "php/receiver.php",
    probe: ["php", "--version"],
    start: ["php", "-S", "127.0.0.1:$PORT", "receiver.php"],
    isSlow: false,
  },
  {
    name: "bash and openssl",
    file: "bash/receiver.cgi",
    probe: ["bash", "-c", "openssl version"],
    start: ["./receiver.cgi"],
    isSlow: false,
    isCgi: true,
  },
  {
    name: "Go",
    file: "go/main.go",
    probe: ["go", "version"],
    start: ["go", "run", "main.go"],
    isSlow: true,
  },
  {
    name: "Java",
    file: "java/Receiver.java",
    probe: ["java", "--version"],
    start: ["java", "Receiver.java"],
    isSlow: false,
  },
  {
    name: "C#",
    file: "csharp/Program.cs",
    probe: ["dotnet", "--version"],
    start: ["dotnet", "run"],
    isSlow: true,
  },
  {
    name: "Rust",
    file: "rust/src/main.rs",
    probe: ["cargo", "--version"],
    start: ["cargo", "run", "--quiet", "--manifest-path", "../Cargo.toml"],
    isSlow: true,
  },
];

/** Those that hold no secret. */
export const KEY_LANGUAGES: readonly Language[] = [
  {
    name: "Node, with a public key",
    file: "node/public-key.js",
    probe: [process.execPath, "--version"],
    start: [process.execPath, "public-key.js"],
    isSlow: false,
  },
  {
    name: "Python, with a public key",
    file: "python/public_key.py",
    probe: ["python3", "-c", "import cryptography"],
    start: ["python3", "public_key.py"],
    isSlow: false,
  },
];
