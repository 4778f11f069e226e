"""Every command that reads runs refuses rows that do not follow from their samples, because they were rewritten."""

import csv
import shutil

from run import GpubenchTest, main, plugin, read_csv



def rewrite(path, change):
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        names, rows = reader.fieldnames, list(reader)
    for row in rows:
        change(row)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(rows)


def of(variant, **values):
    return lambda row: row.update(values) if row["variant"] == variant else None


class Believed(GpubenchTest):
    def setUp(self):
        super().setUp()
        self.ok("--plugin", plugin("ok_vector"), "--preset", "small", "--quick", "--out", str(self.dir / "whole"))

    def copy(self, name):
        shutil.rmtree(self.dir / name, ignore_errors=True)
        shutil.copytree(self.dir / "whole", self.dir / name)
        return self.dir / name

    def test_a_row_that_is_rewritten_is_refused_by_all(self):
        row = next(row for row in read_csv(self.dir / "whole/results.csv") if row["variant"] == "twice")
        for column, value in (("median_raw_ns", "1"), ("speedup", "7.5"), ("verdict", "faster" if row["verdict"] != "faster" else "slower"),
                              ("samples", "12345"), ("max_ns", "123456789")):
            folder = self.copy("edited")
            change = {column: value}
            if column == "median_raw_ns":
                change.update(min_ns="1", p05_ns="1", p25_ns="1")
            if column == "speedup":
                change.update(speedup_lo="7", speedup_hi="8", speedup_lo99="6.5", speedup_hi99="8.5")
            rewrite(folder / "results.csv", of("twice", **change))
            for command in (("report", folder), ("compare", "whole", folder), ("report", "whole", "--against", folder), ("--resume", folder)):
                with self.subTest(column=column, command=command[0]):
                    said = self.one_line_error(3, *command)
                    self.assertRegex(said, rf"results\.csv: vector/scale\[.*\] twice cold: column {column} is '\S.*', and from samples\.csv follows '\S+")
                    self.assertIn("the row is not believed", said)

    def test_a_row_of_which_nothing_was_timed(self):
        folder = self.copy("edited")
        rewrite(folder / "samples.csv", lambda row: row.update(variant="nobody") if row["variant"] == "twice" else None)
        self.assertIn("twice cold: column median_raw_ns is 'a time', and from samples.csv follows 'none'", self.one_line_error(3, "report", folder))

    def test_words_are_as_stated_where_there_are_no_samples(self):
        folder = self.copy("edited")
        (folder / "samples.csv").unlink()
        rewrite(folder / "results.csv", of("twice", samples="12345"))
        for run in (folder, folder / "results.csv"):
            self.ok("report", run, "--html", "page.html")
            self.assertIn("Its samples are not there: words and times are as its rows state them.", (self.dir / "page.html").read_text())
        self.ok("report", "whole", "--html", "page.html")
        self.assertNotIn("as its rows state them", (self.dir / "page.html").read_text())

    def test_of_another_version_times_have_to_follow(self):
        folder = self.copy("edited")
        ini = folder / "run.ini"
        ini.write_text(ini.read_text().replace("gpubench_version = ", "gpubench_version = 0.0."))
        rewrite(folder / "results.csv", of("twice", verdict="noise"))
        self.ok("report", folder, "--html", "page.html")
        self.assertIn("Of another version of gpubench", (self.dir / "page.html").read_text())
        rewrite(folder / "results.csv", of("twice", samples="12345"))
        self.one_line_error(3, "report", folder)

    def test_who_rewrites_samples_and_rows_alike_is_not_seen(self):
        """The owner of the files can forge both, as reports/docs/files.md says."""
        folder = self.copy("edited")
        self.ok("--plugin", plugin("ok_vector"), "--preset", "small", "--quick", "--seed", "5", "--out", str(self.dir / "other"))
        shutil.copy(self.dir / "other/samples.csv", folder)
        self.one_line_error(3, "report", folder)
        shutil.copy(self.dir / "other/results.csv", folder)
        self.ok("report", folder)


if __name__ == "__main__":
    main()
