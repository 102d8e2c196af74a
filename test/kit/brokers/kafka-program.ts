/** Kafka's jars: a folder that `BELLWIRE_TEST_KAFKA` names (a Kafka's `libs`), or out of Maven Central. */
import { type FoundJars, findJars } from "./maven-jars.ts";

export const findKafka = (): FoundJars =>
  findJars({
    name: "Kafka",
    group: "org.apache.kafka",
    // The second one has the programs that make topics.
    artifacts: ["kafka_2.13", "kafka-tools"],
    version: "3.9.1",
    variable: "BELLWIRE_TEST_KAFKA",
  });
