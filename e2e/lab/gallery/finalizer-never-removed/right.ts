export { setup } from "../child-elsewhere/right.ts";
