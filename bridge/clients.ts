/**
 * The broker's client, which whoever runs a bridge installs. It is looked for beside the program, and then in the
 * folder `clients` of the data folder, which stays where it is when a newer version replaces the program.
 */
import { registerHooks } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Broker } from "./port.ts";

/** Until it is disposed of, imports of the broker's packages that find nothing beside the program look there. */
export function findClients({ packages }: Broker, dataDir: string): Disposable {
  const names = packages.map((named) => named.replace(/(?<=.)@[^@]+$/, ""));
  const parentURL = pathToFileURL(join(clientsFolder(dataDir), "package.json")).href;
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        if (!names.includes(specifier)) throw error;
        return next(specifier, { ...context, parentURL });
      }
    },
  });
  return { [Symbol.dispose]: () => hooks.deregister() };
}

/** The sentence that says how to install them. */
export function askForClients({ title, packages }: Broker, dataDir: string): string {
  const what = packages.length === 1 ? "its client" : "its clients";
  const command = `npm install --prefix ${clientsFolder(dataDir)} --save-exact ${packages.join(" ")}`;
  return `The bridge to ${title} needs ${what}: ${command}`;
}

const clientsFolder = (dataDir: string): string => join(resolve(dataDir), "clients");
