/**
 * What the service needs of `node:http`. A module that imports it makes Node read each of its exports, and one of them
 * loads the whole of undici: 3 MB of heap, and a tenth of a start.
 */
export const { Agent, createServer, request, STATUS_CODES } = process.getBuiltinModule("node:http");
