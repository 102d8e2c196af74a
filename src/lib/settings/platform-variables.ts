/**
 * Variables with our prefix that nobody has set for us. Kubernetes tells each pod of every Service of its namespace, as
 * Docker's links did, in variables that begin with the Service's name. A Service named `bellwire` thus sets
 * `BELLWIRE_SERVICE_HOST`, `BELLWIRE_PORT=tcp://…` and six more, and one named `bellwire-postgres` as many.
 *
 * Name and value both have to have the form, so that a mistyped setting is refused as before.
 */
import { isIP } from "node:net";
import type { Env } from "./option.ts";

/** Their names, sorted. A setting's own variable is among them only with a value that no setting has. */
export function listPlatformVariables(env: Env): string[] {
  const services = Object.keys(env).flatMap((name) => SERVICE_HOST.exec(name)?.[1] ?? []);
  const known = services.filter((service) => isService(env, service));
  const linked = Object.keys(env).flatMap((name) => (isPortUrl(env[name]) ? (LINK.exec(name)?.[1] ?? []) : []));
  const names = Object.keys(env).filter((name) => {
    const value = env[name]?.trim() ?? "";
    return (
      (LINK.test(name) && isPortUrl(value)) ||
      (PORT_PART.test(name) && (isPortUrl(value) || isPart(value))) ||
      known.some((service) => isOfService(name, service, value)) ||
      linked.some((link) => isOfLink(name, link, value))
    );
  });
  return names.toSorted();
}

/** For people, in one line; `null` when there are none. `portSettings` are the settings that may have such a name. */
export function describePlatformVariables(env: Env, portSettings: readonly string[]): string | null {
  const names = listPlatformVariables(env);
  if (names.length === 0) return null;
  const ports = names
    .filter((name) => portSettings.includes(name))
    .map((name) => ` ${name} is the address of such a Service here, so the setting has its default.`);
  return (
    `Passed over, because Kubernetes or Docker sets them for a Service of that name: ${names.join(", ")}.` +
    `${ports.join("")} \`enableServiceLinks: false\` in the pod's spec leaves them out.`
  );
}

const SERVICE_HOST = /^(BELLWIRE(?:_[A-Z0-9_]+)?)_SERVICE_HOST$/;
const LINK = /^(BELLWIRE(?:_[A-Z0-9_]+)?)_PORT$/;
/** Such as `BELLWIRE_PORT_7070_TCP_ADDR`. */
const PORT_PART = /^BELLWIRE(?:_[A-Z0-9_]+)?_PORT_\d{1,5}_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/;

const isNumber = (value: string | undefined): boolean => /^\d{1,5}$/.test(value ?? "");

const isPart = (value: string): boolean => isIP(value) !== 0 || isNumber(value) || /^(?:tcp|udp|sctp)$/.test(value);

function isPortUrl(value: string | undefined): boolean {
  const [, host, v6 = host] =
    /^(?:tcp|udp|sctp):\/\/(\[([0-9a-fA-F:.]+)\]|[\d.]+):\d{1,5}$/.exec(value?.trim() ?? "") ?? [];
  return v6 !== undefined && isIP(v6) !== 0;
}

/** The two that every Service has. */
const isService = (env: Env, service: string): boolean =>
  isIP(env[`${service}_SERVICE_HOST`]?.trim() ?? "") !== 0 && isNumber(env[`${service}_SERVICE_PORT`]?.trim());

/** Its host, its first port, and those of its ports that have names. */
function isOfService(name: string, service: string, value: string): boolean {
  if (name === `${service}_SERVICE_HOST`) return true;
  return (name === `${service}_SERVICE_PORT` || name.startsWith(`${service}_SERVICE_PORT_`)) && isNumber(value);
}

/** A link of Docker's passes on the other container's environment and name too. */
const isOfLink = (name: string, link: string, value: string): boolean =>
  name.startsWith(`${link}_ENV_`) || (name === `${link}_NAME` && /^\/[^/]+\/[^/]+$/.test(value));
