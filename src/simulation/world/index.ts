export { faultText } from "./fault-plan.ts";
export { outcomeOf, simulate } from "./simulate.ts";
export { pauseOf, stepText } from "./user.ts";
