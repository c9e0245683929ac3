import { aroundAll, aroundEach } from "vitest";
import { reportWaits } from "./eventually.ts";

// If the runner ends a test or a hook during a wait, the failure names the state that it waited for, not only "timed
// out".

aroundEach((runTest, { signal }) => reportWaits(runTest, signal));
aroundAll((runSuite) => reportWaits(runSuite));
