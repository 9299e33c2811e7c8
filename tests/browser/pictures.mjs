// SPDX-License-Identifier: BSD-3-Clause
// Pictures of every view for the documentation: pictures.mjs DIRECTORY HEAT_PAGE GRID_PAGE
// DIFF_PAGE
import {launch, open} from "./browser.mjs";

const [directory, heat, grid, diff] = process.argv.slice(2);
const browser = await launch();
const picture = async (name, file, fragment, height, options = {}) => {
  const page = await open(browser, file, fragment, {viewport: {width: 1200, height}, ...options});
  await page.waitForTimeout(500);
  await page.screenshot({path: `${directory}/page-${name}.png`});
  if (page.wrong.length) throw new Error(page.wrong.join("\n"));
  await page.close();
};
await picture("overview", heat, "", 620);
await picture("explore", heat, "view=explore&metric=mpi_latesender", 680);
await picture("instances", heat, "view=instances", 680);
await picture(
    "processes", grid, "view=explore&metric=mpi_barrier_wait&system=heat", 680,
    {colorScheme: "dark"});
await picture("metahosts", grid, "view=metahosts", 360);
await picture("communication", grid, "view=communication", 760);
await picture("clocks", grid, "view=clocks", 620);
await picture("changes", diff, "", 680);
await browser.close();
