import { setPatience } from "../../src/runtime/testing/eventually.ts";

/** A state that is waited for is bounded by what hangs, not by a slow machine: just below the limit of a test. */
setPatience(110_000);
