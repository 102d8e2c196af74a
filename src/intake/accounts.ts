/** The calls that set up accounts and chat assistants. Both create or update, and may be repeated. */
import Type, { type Static, type TObject, type TProperties } from "typebox";
import { putAccount, putChatAssistant } from "../accounts/put-account.ts";
import { LIMITS } from "../domain/limits.ts";
import { PLANS } from "../domain/account.ts";
import { beyondSchema } from "../events/beyond-schema.ts";
import { createValidator } from "../events/validate.ts";
import { sendProblem } from "../http/problem-response.ts";
import { readObject, readAccountId, readId } from "./read-call.ts";
import type { IntakeContext, IntakeRoute } from "./context.ts";
import { BODY_REFUSALS, accountParameter, idSchema, pathParameter, refusals, jsonContent } from "./operation.ts";

const nameSchema = (what: string) =>
  Type.String({
    minLength: 1,
    maxLength: 200,
    // PostgreSQL stores this character in no text; an error of ours would make the product send it again and again.
    pattern: "^[^\\u0000]*$",
    "x-message": "must be text of 1 to 200 characters without NUL characters",
    description: `The ${what}'s name, as its owner knows it.`,
  });

/**
 * An address to which paths can be added. The text itself goes into links, so it must be whole: a parser repairs
 * `https:app.example.com`, a mail program does not.
 */
const BASE_ADDRESS_PATTERN = "^[hH][tT][tT][pP][sS]?://[^/@\\\\?#\\s\\p{Cc}]+(?:/[^\\\\?#\\s\\p{Cc}]*)?$";
const BASE_ADDRESS_MESSAGE = "must be an http or https address without query, fragment, user name or password";

const accountBody = Type.Object(
  {
    name: nameSchema("account"),
    plan: Type.Enum([...PLANS], { description: "Webhooks on demo alerts need `starter` or higher." }),
    app_url: Type.Refine(
      Type.String({
        maxLength: LIMITS.urlCharsMax,
        pattern: BASE_ADDRESS_PATTERN,
        "x-message": BASE_ADDRESS_MESSAGE,
        description: "Base address of the product's web application; links in payloads start with it.",
        examples: ["https://app.example.com"],
      }),
      // The host must be valid, which no pattern can say.
      (text) => URL.canParse(text),
      () => BASE_ADDRESS_MESSAGE,
    ),
  },
  { additionalProperties: false, description: `An account. ${beyondSchema("account")}` },
);

const assistantBody = Type.Object(
  { name: nameSchema("assistant") },
  { additionalProperties: false, description: `A chat assistant. ${beyondSchema("chat_assistant")}` },
);

const ACCOUNT = { name: "Acme", plan: "starter", app_url: "https://app.example.com" } as const;
const ASSISTANT = { name: "Website assistant" };

const checkAccount = createValidator(accountBody);
const checkAssistant = createValidator(assistantBody);

export function putAccountRoute(ctx: IntakeContext): IntakeRoute {
  return {
    method: "PUT",
    path: "/v1/accounts/:account_id",
    operation: {
      operationId: "putAccount",
      summary: "Create or update an account",
      parameters: [accountParameter],
      requestBody: { required: true, content: jsonContent(accountBody, ACCOUNT) },
      responses: {
        "200": { description: "Updated.", content: jsonContent(withId(accountBody), { id: "acme", ...ACCOUNT }) },
        "201": { description: "Created.", content: jsonContent(withId(accountBody), { id: "acme", ...ACCOUNT }) },
        ...refusals(
          "invalid_json",
          "invalid_parameter",
          "invalid_record",
          "unsupported_media_type",
          "body_too_large",
          "account_deleted",
        ),
      },
    },
    async handle(request, reply) {
      const id = readAccountId(request);
      if (!id.ok) return sendProblem(reply, id.error);
      const body = readObject<Static<typeof accountBody>>(request, checkAccount);
      if (!body.ok) return sendProblem(reply, body.error);
      const { name, plan, app_url } = body.value;
      const appUrl = app_url.replace(/\/+$/, "");
      const put = await putAccount(ctx.accounts, { id: id.value, name, plan, appUrl });
      if (!put.ok) return sendProblem(reply, put.error);
      return await reply.code(put.value.created ? 201 : 200).send({ id: id.value, name, plan, app_url: appUrl });
    },
  };
}

export function putChatAssistantRoute(ctx: IntakeContext): IntakeRoute {
  return {
    method: "PUT",
    path: "/v1/accounts/:account_id/chat-assistants/:assistant_id",
    operation: {
      operationId: "putChatAssistant",
      summary: "Create or rename a chat assistant",
      description: "Not needed before sending conversations: one of an unknown assistant creates it.",
      parameters: [accountParameter, pathParameter("assistant_id", idSchema("chat assistant"))],
      requestBody: { required: true, content: jsonContent(assistantBody, ASSISTANT) },
      responses: {
        "200": { description: "Renamed.", content: jsonContent(withId(assistantBody), { id: "bot-1", ...ASSISTANT }) },
        "201": { description: "Created.", content: jsonContent(withId(assistantBody), { id: "bot-1", ...ASSISTANT }) },
        ...refusals(...BODY_REFUSALS),
      },
    },
    async handle(request, reply) {
      const accountId = readAccountId(request);
      if (!accountId.ok) return sendProblem(reply, accountId.error);
      const id = readId(request, "assistant_id");
      if (!id.ok) return sendProblem(reply, id.error);
      const body = readObject<Static<typeof assistantBody>>(request, checkAssistant);
      if (!body.ok) return sendProblem(reply, body.error);
      const assistant = { id: id.value, name: body.value.name };
      const put = await putChatAssistant(ctx.accounts, accountId.value, assistant);
      if (!put.ok) return sendProblem(reply, put.error);
      return await reply.code(put.value.created ? 201 : 200).send(assistant);
    },
  };
}

function withId<Properties extends TProperties>({ properties }: TObject<Properties>) {
  return Type.Object({ id: Type.String(), ...properties });
}
