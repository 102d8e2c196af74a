/** A RabbitMQ's files for tests: two listeners, one with TLS, and the users of both. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Authority } from "../servers/certificates.ts";

export const RABBIT_USER = { name: "bridge", password: "bridge secret" };
/** The user whom a certificate with this name signs in. */
export const RABBIT_CERTIFICATE_USER = "bridge-by-certificate";
/** Whom a caller without a name is: RabbitMQ's own, which the file of users would leave out. */
const GUEST = { name: "guest", password: "guest" };

export interface RabbitPlaces {
  readonly port: number;
  readonly securedPort: number;
  /** Where rabbitmqadmin asks; `null`: it is not started. */
  readonly managementPort: number | null;
  readonly authority: Authority;
}

export function writeRabbitFiles(folder: string, places: RabbitPlaces): void {
  const { port, securedPort, managementPort, authority } = places;
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const { certificate, key } = authority.issue("localhost");
  const plugins = ["rabbitmq_auth_mechanism_ssl", ...(managementPort === null ? [] : ["rabbitmq_management"])];
  const management = [`management.tcp.ip = 127.0.0.1`, `management.tcp.port = ${managementPort}`];
  file("plugins", `[${plugins.join(",")}].`);
  file(
    "rabbitmq.conf",
    [
      `listeners.tcp.1 = 127.0.0.1:${port}`,
      `listeners.ssl.1 = 127.0.0.1:${securedPort}`,
      `ssl_options.cacertfile = ${file("ca.pem", authority.certificate)}`,
      `ssl_options.certfile = ${file("server.pem", certificate)}`,
      `ssl_options.keyfile = ${file("server.key", key)}`,
      "ssl_options.verify = verify_peer",
      "ssl_options.fail_if_no_peer_cert = false",
      "ssl_cert_login_from = common_name",
      "auth_mechanisms.1 = PLAIN",
      "auth_mechanisms.2 = EXTERNAL",
      ...(managementPort === null ? [] : management),
      `load_definitions = ${file("definitions.json", JSON.stringify(definitions()))}`,
      "",
    ].join("\n"),
  );
}

function definitions(): object {
  const users = [GUEST, RABBIT_USER, { name: RABBIT_CERTIFICATE_USER, password: "" }];
  const all = { configure: ".*", write: ".*", read: ".*" };
  return {
    vhosts: [{ name: "/" }, { name: "closed" }],
    users: users.map(({ name, password }) => ({
      name,
      password_hash: password === "" ? "" : hash(password),
      hashing_algorithm: "rabbit_password_hashing_sha256",
      tags: name === GUEST.name ? ["administrator"] : [],
    })),
    permissions: users.map(({ name }) => ({ user: name, vhost: "/", ...all })),
  };
}

/** As RabbitMQ stores a password: four bytes of salt, and the hash of both. */
function hash(password: string): string {
  const salt = Buffer.from("salt");
  return Buffer.concat([salt, createHash("sha256").update(salt).update(password).digest()]).toString("base64");
}
