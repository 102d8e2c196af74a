/**
 * moto for tests, a server that speaks SQS's protocol. It keeps its queues in memory, so it is not killed: a proxy
 * before it cuts every connection instead, which is what a bridge sees of an outage.
 */
import { startChild } from "../process/child.ts";
import { freePort } from "../process/running.ts";
import { startTcpProxy } from "../servers/tcp-proxy.ts";
import { MOTO_VERSION } from "./moto-program.ts";
import { type SqsServer } from "./sqs-server.ts";

/** `env`: moto's own settings. */
export async function startMoto(
  [program, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>> = {},
): Promise<SqsServer> {
  const port = await freePort();
  const server = startChild({ node: program, args: [...args, "-H", "127.0.0.1", "-p", String(port)], env });
  await server.err.match(/Running on/);
  const proxy = await startTcpProxy(port);
  return {
    name: `moto ${MOTO_VERSION}`,
    url: proxy.url,
    port: proxy.port,
    // moto's threads may give one message to two polls at once.
    mayRepeat: true,
    async restart(whileAway) {
      proxy.weather = { kind: "reset" };
      await whileAway();
      proxy.weather = { kind: "clear" };
    },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Calls that `createIamKey` makes, before anybody has a key. */
export const IAM_CALLS = 3;

/** A user who may use queues, and the key with which its calls are signed. */
export async function createIamKey(url: string): Promise<{ readonly id: string; readonly secret: string }> {
  const user = { UserName: "bridge" };
  const Statement = [{ Effect: "Allow", Action: "sqs:*", Resource: "*" }];
  await callIam(url, { Action: "CreateUser", ...user });
  const policy = { PolicyName: "queues", PolicyDocument: JSON.stringify({ Version: "2012-10-17", Statement }) };
  await callIam(url, { Action: "PutUserPolicy", ...user, ...policy });
  const made = await callIam(url, { Action: "CreateAccessKey", ...user });
  const read = (name: string): string => new RegExp(`<${name}>([^<]+)<`).exec(made)?.[1] ?? "";
  return { id: read("AccessKeyId"), secret: read("SecretAccessKey") };
}

/** moto finds the service by the scope of the signature, and does not look at the signature yet. */
async function callIam(url: string, parameters: Readonly<Record<string, string>>): Promise<string> {
  const scope = "Credential=none/20260101/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=none";
  const answer = await fetch(url, {
    method: "POST",
    headers: { authorization: `AWS4-HMAC-SHA256 ${scope}` },
    body: new URLSearchParams({ ...parameters, Version: "2010-05-08" }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`moto refused ${parameters["Action"]}: ${text}`);
  return text;
}
