import { limits } from "../../.config/limits.ts";
import { setPatience } from "../../src/runtime/testing/eventually.ts";

// A wait that fails must report why before the runner ends the test.
setPatience(limits.unit - 10_000);
