import { runSteps } from "../tools/run-steps.ts";
import { chooseTool, listTools } from "./tools.ts";

// npm run lab [-- NAME ARGUMENTS…]

const [name, ...args] = process.argv.slice(2);
if (name === undefined || name === "--help") console.log(listTools());
else {
  const steps = chooseTool(name, args);
  if (typeof steps === "string") {
    console.error(steps);
    process.exitCode = 1;
  } else process.exitCode = await runSteps(steps);
}
