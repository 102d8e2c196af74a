import { systemClock } from "../../lib/clock.ts";
import { storeConformance } from "../conformance/suite.ts";
import { openSqliteStore } from "./open.ts";

storeConformance("SQLite in memory", () => openSqliteStore({ path: ":memory:", clock: systemClock }));
