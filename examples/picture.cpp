// SPDX-License-Identifier: BSD-3-Clause
// Pictures in PNG files.

#include "picture.hpp"

#include <png.h>

#include <stdexcept>

Picture::Picture(int rows_, int columns_)
    : rows(rows_),
      columns(columns_),
      rgb(3 * static_cast<std::size_t>(rows_) * static_cast<std::size_t>(columns_), 255)
{}

void Picture::set(int row, int column, std::uint8_t red, std::uint8_t green, std::uint8_t blue)
{
    std::uint8_t* const pixel = rgb.data() +
                                3 * (static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                                     static_cast<std::size_t>(column));
    pixel[0] = red;
    pixel[1] = green;
    pixel[2] = blue;
}

void Picture::write(const std::string& file) const
{
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(columns);
    image.height = static_cast<png_uint_32>(rows);
    image.format = PNG_FORMAT_RGB;
    if (png_image_write_to_file(&image, file.c_str(), 0, rgb.data(), 0, nullptr) == 0)
        throw std::runtime_error("cannot write " + file + ": " + image.message);
}
