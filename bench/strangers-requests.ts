/** The requests of `strangers.ts` as ready bytes, and the session that some of them need. */
import { randomUUID } from "node:crypto";
import type { Running } from "../test/kit/process/running.ts";
import { demoViewed } from "../src/events/demo-viewed.ts";

/** Of somebody who was sent a link by the product and signed in with it. */
export async function signInForCookie({ url, apiKey }: Running, account: string): Promise<string> {
  const linked = await fetch(`${url}/v1/accounts/${account}/dashboard-links`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}` },
  });
  const link = (await linked.json()) as { readonly url: string };
  const token = new URL(link.url).pathname.split("/").at(-1);
  const signedIn = await fetch(`${url}/dashboard/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
    body: JSON.stringify({ token }),
  });
  if (!signedIn.ok) throw new Error(`nobody could sign in: ${signedIn.status} ${await signedIn.text()}`);
  return signedIn.headers.getSetCookie()[0]?.split(";", 1)[0] ?? "";
}

export const readRequest = (cookie: string): Buffer =>
  Buffer.from(`GET /dashboard/deliveries HTTP/1.1\r\nhost: localhost\r\ncookie: ${cookie}\r\n\r\n`);

export function sessionRequest(apiKey: string, account: string): Buffer {
  const record = JSON.stringify({ ...demoViewed.example, id: randomUUID() });
  return postRequest(`/v1/accounts/${account}/demo-sessions`, { apiKey, type: "application/json", body: record });
}

interface Post {
  readonly apiKey: string;
  readonly type: string;
  readonly body: string | Buffer;
}

export function postRequest(path: string, { apiKey, type, body }: Post): Buffer {
  const head =
    `POST ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${apiKey}\r\n` +
    `content-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
}
