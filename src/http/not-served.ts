/** What a call gets at an address that nothing is served at. */
import type { FastifyRequest } from "fastify";
import { type Problem, problem } from "../domain/problem.ts";

export function notServed({ method, url }: Pick<FastifyRequest, "method" | "url">): Problem {
  const path = readPath(url);
  const tidied = path.replaceAll(/\/+/g, "/").replace(/(?<=.)\/$/, "");
  const advice = tidied === path ? "/openapi.json lists the addresses." : `A slash may be too many: ${tidied}.`;
  return problem("not_found", `Nothing is served at ${method} ${path}. ${advice}`);
}

/** Query strings may hold secrets that a caller should not have put there, so they are never repeated. */
export const readPath = (url: string): string => url.split("?", 1)[0] ?? "";
