/** What people see at addresses that the dashboard will serve, until it exists: the truth, not a bare 404. */
import type { FastifyInstance } from "fastify";

const PAGE = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Bellwire</title>
<body><h1>Bellwire is running</h1>
<p>This version has no dashboard yet: it accepts records and delivers their webhooks, and alerts are set up by
<code>npm run demo</code> only. Its calls are described at <a href="/openapi.json">/openapi.json</a>.</p></body></html>
`;

export function registerNoDashboard(server: FastifyInstance): void {
  for (const path of ["/", "/sign-in/:token", "/audience/sessions/:id"]) {
    server.get(path, (_request, reply) =>
      reply
        .type("text/html; charset=utf-8")
        .header("content-security-policy", "default-src 'none'")
        .header("referrer-policy", "no-referrer")
        .header("x-content-type-options", "nosniff")
        .send(PAGE),
    );
  }
}
