import { aroundAll, aroundEach } from "vitest";
import { reportWaits } from "./eventually.ts";

// A test or a hook that the runner ends while it waits fails with what it waited for, not only with "timed out".

aroundEach((runTest, { signal }) => reportWaits(runTest, signal));
aroundAll((runSuite) => reportWaits(runSuite));
