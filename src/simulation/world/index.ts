export { faultText } from "./fault-plan.ts";
export { simulate } from "./simulate.ts";
export { pauseOf, stepText } from "./user.ts";
