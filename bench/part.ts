/**
 * A process of the benchmark that is spoken to: one message, one answer. It ends with the bench, because it leaves when
 * the connection to it does.
 */
import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";

export interface Part<Message, Answer> extends Disposable {
  readonly pid: number;
  ask(message: Message): Promise<Answer>;
  /** The next message without having asked. */
  next(): Promise<Answer>;
}

/** Nothing here takes minutes; without an end a fault of ours would hang the bench. */
const ANSWER_MS_MAX = 180_000;

export function startPart<Message extends object, Answer>(
  file: string,
  env: Readonly<Record<string, string>> = {},
): Part<Message, Answer> {
  const child = fork(join(import.meta.dirname, file), { serialization: "advanced", env: { ...process.env, ...env } });
  return {
    pid: child.pid ?? -1,
    ask(message) {
      const answer = nextMessage<Answer>(child, file);
      child.send(message);
      return answer;
    },
    next: () => nextMessage<Answer>(child, file),
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}

function nextMessage<Answer>(child: ChildProcess, file: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${file} did not answer`)), ANSWER_MS_MAX);
    const onExit = (code: number | null) => reject(new Error(`${file} ended with ${code}`));
    child.once("exit", onExit);
    child.once("message", (message) => {
      clearTimeout(timer);
      child.off("exit", onExit);
      resolve(message as Answer);
    });
  });
}
