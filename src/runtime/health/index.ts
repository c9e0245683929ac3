export type { HealthCheck } from "./health-checks.ts";
