export { decodeProtobuf } from "../codec/index.ts";
export { FakeClock } from "@tsbuilder/apimachinery/time";
export { startTestCluster, type TestCluster, type TestClusterOptions } from "./start-test-cluster.ts";
export { loadObjects, parseYaml } from "./start-test-cluster.ts";
