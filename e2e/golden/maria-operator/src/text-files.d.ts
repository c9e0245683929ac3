declare module "*.sh" {
  const text: string;
  export default text;
}
declare module "*.sql" {
  const text: string;
  export default text;
}
declare module "*.cnf" {
  const text: string;
  export default text;
}
