import { runSteps } from "./run-steps.ts";
import { planTests } from "./plan-tests.ts";

const help = `npm test [-- PATH... [-t NAME]]

Builds, and runs the unit tests and the journeys of a user. With paths, runs only the tests in these files and folders, in
the suites that they belong to, and builds only if one of these needs it.`;

const args = process.argv.slice(2);
if (args.includes("--help")) console.log(help);
else process.exitCode = await runSteps(planTests(args));
