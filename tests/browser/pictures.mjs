// SPDX-License-Identifier: BSD-3-Clause
// Pictures of the documentation: pictures.mjs DIRECTORY HEAT_PAGE METATRACE_PAGE
import {launch, open} from "./browser.mjs";

const [directory, heat, metatrace] = process.argv.slice(2);
const browser = await launch();
const picture = async (name, file, fragment, options = {}) => {
  const page = await open(browser, file, fragment, options);
  await page.waitForTimeout(500);
  await page.screenshot({path: `${directory}/${name}.png`});
  if (page.wrong.length) throw new Error(page.wrong.join("\n"));
  await page.close();
};
await picture("page-overview", heat, "", {viewport: {width: 1200, height: 620}});
await picture("page-explore", heat, "view=explore&metric=mpi_latesender", {viewport: {width: 1200, height: 680}});
await picture("page-processes", metatrace, "view=explore&metric=mpi_latesender&system=heat",
  {viewport: {width: 1200, height: 680}, colorScheme: "dark"});
await browser.close();
