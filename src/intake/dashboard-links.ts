/** The call behind the product's own "Open webhooks" button: a one-time sign-in link for the account's owner. */
import Type from "typebox";
import { createDashboardLink } from "../accounts/dashboard-link.ts";
import { sendProblem } from "../http/problem-response.ts";
import { JSON_TYPE } from "./body.ts";
import type { IntakeContext, IntakeRoute } from "./context.ts";
import { accountParameter, refusals } from "./operation.ts";
import { accountIdOf } from "./parameters.ts";

const linkSchema = Type.Object({
  url: Type.String({ format: "uri", description: "Works once." }),
  expires_at: Type.String({ format: "date-time", description: "Five minutes from now." }),
});

export function dashboardLinksRoute(ctx: IntakeContext): IntakeRoute {
  return {
    method: "POST",
    path: "/v1/accounts/:account_id/dashboard-links",
    operation: {
      operationId: "createDashboardLink",
      summary: "Create a one-time sign-in link for the account's dashboard",
      parameters: [accountParameter],
      responses: {
        "201": { description: "Created.", content: { [JSON_TYPE]: { schema: linkSchema } } },
        ...refusals("invalid_parameter", "account_not_found"),
      },
    },
    async handle(request, reply) {
      const accountId = accountIdOf(request);
      if (!accountId.ok) return sendProblem(reply, accountId.error);
      const link = await createDashboardLink(ctx.accounts, accountId.value);
      if (!link.ok) return sendProblem(reply, link.error);
      const { url, expiresAtMs } = link.value;
      return await reply.code(201).send({ url, expires_at: new Date(expiresAtMs).toISOString() });
    },
  };
}
