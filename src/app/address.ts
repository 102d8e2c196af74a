/** Where people reach this service: as configured, or at the port that the server has got. */
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { publicUrlAt } from "../config/config.ts";
import type { Config } from "../config/options.ts";

export interface Address {
  port(): number;
  publicUrl(): string;
  /** The port may be 0 in the settings: then the server knows it, once it listens. */
  knowServer(server: FastifyInstance): void;
}

export function createAddress(config: Config): Address {
  let server: FastifyInstance | null = null;
  const port = (): number => (server?.server.address() as AddressInfo | null)?.port ?? config.port;
  return {
    port,
    publicUrl: () => publicUrlAt(config, port()),
    knowServer(known) {
      server = known;
    },
  };
}
