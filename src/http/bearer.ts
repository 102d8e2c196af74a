/** The credential of a call with `Authorization: Bearer …`: an intake key, or the token of a forwarding command. */
import type { FastifyRequest } from "fastify";

/** `null` when there is none. */
export function readBearer(request: FastifyRequest): string | null {
  return /^bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? null;
}
