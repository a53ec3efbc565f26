/** Style sheets are written beside the bundle. */
declare module "*.css";
