export { ManualClock } from "../clock/index.ts";
export { startTestCluster, type TestCluster, type TestClusterOptions } from "./start-test-cluster.ts";
