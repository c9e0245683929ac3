export { setup } from "../finalizer-removed-first/right.ts";
