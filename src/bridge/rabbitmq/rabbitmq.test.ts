/** The bridge from RabbitMQ, with a real server where Debian's package is installed. */
import { openRabbitBroker } from "../../../test/kit/brokers/rabbitmq.ts";
import { describeBridge } from "../conformance/suite.ts";

describeBridge("rabbitmq", openRabbitBroker());
