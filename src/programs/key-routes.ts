/**
 * Making, listing and taking back keys of programs with the intake key, for `bellwire read-keys` and for a product that
 * gives them out: those of one account, and those of all. In the document once there is a key. Only where managing is
 * open a key has a kind.
 */
import type { FastifyRequest } from "fastify";
import Type, { type Static } from "typebox";
import { makeReadKey, takeBackReadKey } from "../accounts/read-keys.ts";
import { programKeyForm, readKeyForm } from "../dashboard/forms/bodies.ts";
import { LIMITS } from "../domain/limits.ts";
import { productId } from "../events/fields.ts";
import type { Result } from "../domain/problem.ts";
import { createValidator } from "../events/validate.ts";
import { sendProblem } from "../http/problem-response.ts";
import type { IntakeContext, IntakeRoute } from "../intake/context.ts";
import { accountParameter, BODY_REFUSALS, pathParameter, refusals, jsonContent } from "../intake/operation.ts";
import { byIntakeKey, readAccountId, readId, readObject } from "../intake/read-call.ts";
import { ok } from "../lib/result.ts";
import { KEY_KINDS, type StoredReadKey } from "../store/contract/read-keys.ts";
import type { Keyring } from "./keyring.ts";

const listed = {
  id: Type.String({ description: "Names the key; it opens nothing." }),
  name: Type.String(),
  made_by: Type.String(),
  created_at: Type.String({ format: "date-time" }),
  last_used_at: Type.Union([Type.String({ format: "date-time" }), Type.Null()], { description: "To within a minute." }),
};
const kind = Type.Enum([...KEY_KINDS], { description: "One that manages reads too." });

const made = Type.Object({
  id: Type.String(),
  name: Type.String(),
  key: Type.String({ description: "Shown this once." }),
});

const KEY = {
  id: "rdk_06f1x9s3k0a1b2c3d4e5f6g7h8",
  name: "support desk",
  made_by: "intake key",
  created_at: "2026-11-20T12:00:00.000Z",
  last_used_at: null,
};

/** Whose keys: the address says it. */
interface Scope {
  readonly path: string;
  /** Behind the operation's name. */
  readonly suffix: string;
  readonly words: string;
  readonly parameters: (typeof accountParameter)[];
  readonly readAccount: (request: FastifyRequest) => Result<string | null>;
}

const OF_ACCOUNT: Scope = {
  path: "/v1/accounts/:account_id/read-keys",
  suffix: "",
  words: "of an account",
  parameters: [accountParameter],
  readAccount: readAccountId,
};

const OF_ALL: Scope = {
  path: "/v1/read-keys",
  suffix: "OfAll",
  words: "of all accounts",
  parameters: [],
  readAccount: () => ok(null),
};

interface KeyOptions {
  readonly keyring: Keyring;
  /** The operator lets programs manage webhooks. */
  readonly hasManagement: boolean;
}

export const listKeyRoutes = (ctx: IntakeContext, options: KeyOptions): IntakeRoute[] =>
  [OF_ACCOUNT, OF_ALL].flatMap((scope) => [
    listRoute(ctx, scope, options),
    makeRoute(ctx, scope, options),
    takeBackRoute(ctx, scope),
  ]);

function listRoute({ accounts: { store } }: IntakeContext, scope: Scope, { hasManagement }: KeyOptions): IntakeRoute {
  const row = Type.Object(hasManagement ? { ...listed, kind } : listed);
  const answer = Type.Object({ keys: Type.Array(row, { description: "In the order in which they were made." }) });
  return {
    method: "GET",
    path: scope.path,
    operation: {
      operationId: `listReadKeys${scope.suffix}`,
      summary: `List programs' keys ${scope.words}`,
      parameters: scope.parameters,
      responses: {
        "200": { description: "All of them.", content: jsonContent(answer, { keys: [KEY] }) },
        ...refusals("invalid_parameter"),
      },
    },
    async handle(request, reply) {
      const accountId = scope.readAccount(request);
      if (!accountId.ok) return sendProblem(reply, accountId.error);
      const keys = await store.listReadKeys({ accountId: accountId.value });
      return reply.send({
        keys: keys.map((key) => ({ ...show(key), ...(hasManagement && { kind: key.kind }) })),
      });
    },
  };
}

function makeRoute(ctx: IntakeContext, scope: Scope, { keyring, hasManagement }: KeyOptions): IntakeRoute {
  const schema = hasManagement ? programKeyForm : readKeyForm;
  const checkForm = createValidator(schema);
  return {
    method: "POST",
    path: scope.path,
    operation: {
      operationId: `makeReadKey${scope.suffix}`,
      summary: `Make a program's key ${scope.words}`,
      description: `There can be ${LIMITS.readKeysMax}.`,
      parameters: scope.parameters,
      requestBody: { required: true, content: jsonContent(schema, { name: KEY.name }) },
      responses: {
        "201": { description: "Made.", content: jsonContent(made, { id: KEY.id, name: KEY.name, key: "bwr_…" }) },
        ...refusals(...BODY_REFUSALS, "read_key_limit_reached"),
      },
    },
    async handle(request, reply) {
      const accountId = scope.readAccount(request);
      if (!accountId.ok) return sendProblem(reply, accountId.error);
      const form = readObject<Static<typeof programKeyForm>>(request, checkForm);
      if (!form.ok) return sendProblem(reply, form.error);
      const by = byIntakeKey(request);
      const key = await makeReadKey(ctx.accounts, { accountId: accountId.value, ...form.value, by });
      if (!key.ok) return sendProblem(reply, key.error);
      keyring.keyMade();
      return reply.code(201).header("cache-control", "no-store").send(key.value);
    },
  };
}

function takeBackRoute(ctx: IntakeContext, scope: Scope): IntakeRoute {
  return {
    method: "DELETE",
    path: `${scope.path}/:key_id`,
    operation: {
      operationId: `takeBackReadKey${scope.suffix}`,
      summary: `Take back a program's key ${scope.words}`,
      parameters: [
        ...scope.parameters,
        pathParameter("key_id", productId({ description: "As the list of keys has it." })),
      ],
      responses: {
        "204": { description: "The next call with it is refused, on every node." },
        ...refusals("invalid_parameter", "read_key_not_found"),
      },
    },
    async handle(request, reply) {
      const accountId = scope.readAccount(request);
      if (!accountId.ok) return sendProblem(reply, accountId.error);
      const id = readId(request, "key_id");
      if (!id.ok) return sendProblem(reply, id.error);
      const by = byIntakeKey(request);
      const taken = await takeBackReadKey(ctx.accounts, { accountId: accountId.value, id: id.value, by });
      return taken.ok ? reply.code(204).send() : sendProblem(reply, taken.error);
    },
  };
}

const show = ({ id, name, madeBy, createdAtMs, usedAtMs }: StoredReadKey) => ({
  id,
  name,
  made_by: madeBy,
  created_at: new Date(createdAtMs).toISOString(),
  last_used_at: usedAtMs === null ? null : new Date(usedAtMs).toISOString(),
});
