/**
 * The call behind the product's own "Open webhooks" button: a one-time sign-in link for a person of the account. The
 * product knows its people: it sets the name that the audit shows and the person's role.
 */
import type { FastifyRequest } from "fastify";
import Type from "typebox";
import { type Embed, UNNAMED_PERSON, createDashboardLink } from "../accounts/dashboard-link.ts";
import { CLOSED, type FormOf } from "../domain/form.ts";
import { LIMITS } from "../domain/limits.ts";
import { lookForm, THEMES } from "../domain/look.ts";
import { PLACES, type PlaceAddress } from "../domain/places.ts";
import type { Result } from "../domain/problem.ts";
import { ok } from "../lib/result.ts";
import { ROLES } from "../domain/account.ts";
import { beyondSchema } from "../events/beyond-schema.ts";
import type { Exactly } from "../events/exact-json.ts";
import { createValidator } from "../events/validate.ts";
import { sendProblem } from "../http/problem-response.ts";
import { readObject, readAccountId } from "./read-call.ts";
import type { IntakeContext, IntakeRoute } from "./context.ts";
import { BODY_REFUSALS, accountParameter, refusals, jsonContent } from "./operation.ts";

/** Longer than any e-mail address. */
export const PERSON_CHARS_MAX = 320;

export const dashboardLinkSchema = Type.Object(
  {
    person: Type.Optional(
      Type.String({
        maxLength: PERSON_CHARS_MAX,
        // Shown in sentences and in e-mails: visible text on one line.
        pattern: "^[^\\p{C}\\p{Z}]([^\\p{C}\\p{Zl}\\p{Zp}]*[^\\p{C}\\p{Z}])?$",
        "x-message": "must be a name or an e-mail address, on one line and without spaces around it",
        description: `Whom the link signs in, as the dashboard names them. "${UNNAMED_PERSON}" when left out.`,
        examples: ["ana@example.com"],
      }),
    ),
    role: Type.Optional(
      Type.Enum([...ROLES], {
        description:
          "`owner` may do everything; `viewer` sees, but changes, tests, resends and reveals nothing. " +
          "`owner` when left out.",
      }),
    ),
    embed: Type.Optional(
      Type.Object(
        {
          page: Type.String({
            maxLength: LIMITS.urlCharsMax,
            pattern: "^/(?:[A-Za-z0-9._~%-]+(?:/[A-Za-z0-9._~%-]+)*)?$",
            "x-message": "must be the path of a page of the dashboard, such as /settings/alerts",
            description: "Path of the page; those below it can be reached from there.",
            examples: ["/settings/alerts"],
          }),
          tabs: Type.Optional(
            Type.Array(Type.Enum(Object.keys(PLACES) as PlaceAddress[]), {
              uniqueItems: true,
              maxItems: Object.keys(PLACES).length,
              description: "Pages that the frame shows as tabs, in this order.",
              examples: [["/settings/alerts", "/deliveries"]],
            }),
          ),
          theme: Type.Optional(
            Type.Enum([...THEMES], { description: "The reader's own system decides when left out." }),
          ),
          look: Type.Optional(
            Type.Object(lookForm.properties, { ...CLOSED, description: "What makes the frame look like its product." }),
          ),
        },
        {
          additionalProperties: false,
          description:
            "The link opens this page alone, or with tabs, for a frame in the product's own. In a frame it " +
            "signs in without a click. The link is as good as any other: it gives the person's rights, not the page's.",
        },
      ),
    ),
  },
  { additionalProperties: false, description: `Whom the link is for. ${beyondSchema("dashboard_link")}` },
);

const linkSchema = Type.Object({
  url: Type.String({ format: "uri", description: "Works once." }),
  expires_at: Type.String({ format: "date-time", description: "Five minutes from now." }),
});

const EXAMPLE = { url: "https://hooks.example.com/sign-in#example", expires_at: "2026-11-20T12:05:00.000Z" };

const checkRequest = createValidator(dashboardLinkSchema);

export function dashboardLinksRoute(ctx: IntakeContext): IntakeRoute {
  return {
    method: "POST",
    path: "/v1/accounts/:account_id/dashboard-links",
    operation: {
      operationId: "createDashboardLink",
      summary: "Create a one-time sign-in link for the account's dashboard",
      description: "Its page asks for one click. Programs that open links to look at them do not use it up.",
      parameters: [accountParameter],
      requestBody: {
        required: false,
        content: jsonContent(dashboardLinkSchema, { person: "ana@example.com", role: "viewer" }),
      },
      responses: {
        "201": { description: "Created.", content: jsonContent(linkSchema, EXAMPLE) },
        ...refusals(...BODY_REFUSALS),
      },
    },
    async handle(request, reply) {
      const accountId = readAccountId(request);
      if (!accountId.ok) return sendProblem(reply, accountId.error);
      const asked = readRequest(request);
      if (!asked.ok) return sendProblem(reply, asked.error);
      const { person = UNNAMED_PERSON, role = "owner" } = asked.value;
      // Its one number is small and whole, in whichever form it was written.
      const embed = JSON.parse(JSON.stringify(asked.value.embed ?? null)) as Embed | null;
      const link = await createDashboardLink(ctx.accounts, { accountId: accountId.value, person, role }, embed);
      if (!link.ok) return sendProblem(reply, link.error);
      const { url, expiresAtMs } = link.value;
      return await reply.code(201).send({ url, expires_at: new Date(expiresAtMs).toISOString() });
    },
  };
}

/** The body may be left out. */
function readRequest(request: FastifyRequest): Result<Exactly<FormOf<typeof dashboardLinkSchema>>> {
  const isEmpty = request.body === undefined || (Buffer.isBuffer(request.body) && request.body.length === 0);
  return isEmpty ? ok({}) : readObject(request, checkRequest);
}
