/** The bridge from NATS JetStream, with a real server. */
import { openNatsBroker } from "../../../test/kit/brokers/nats.ts";
import { describeBridge } from "../conformance/suite.ts";

describeBridge("nats", openNatsBroker());
